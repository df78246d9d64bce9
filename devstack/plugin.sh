#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# DevStack calls this with a phase: see devstack/README.rst.

ZUN_PLUGIN_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=devstack/lib/zun
source "$ZUN_PLUGIN_DIR/lib/zun"

function zun_phase {
    case "$1/${2:-}" in
        stack/install)
            install_zun ;;
        stack/post-config)
            configure_zun
            if is_service_enabled key; then
                create_zun_accounts
            fi
            init_zun ;;
        stack/extra)
            start_zun ;;
        unstack/*)
            stop_zun ;;
        clean/*)
            cleanup_zun ;;
    esac
}

if is_zun_enabled; then
    zun_phase "$@"
fi
