# SPDX-License-Identifier: Apache-2.0
"""Translation of messages that users see."""

import oslo_i18n

DOMAIN = 'zun'

_translators = oslo_i18n.TranslatorFactory(domain=DOMAIN)

_ = _translators.primary
