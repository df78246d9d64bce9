#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Stand-ins for DevStack's functions: each says what it was asked for. Commands
# that would change the machine are in $STUBS; iniset writes for real.
# Arguments: folder of the plug-in, then those of plugin.sh.

set -eu
export STUBS=${STUBS:?}

function say { echo "$*" >> "$STUBS/calls"; }

for name in setup_develop run_process stop_process wait_for_service \
    recreate_database create_service_user get_or_add_user_project_role \
    get_or_create_service get_or_create_endpoint define_plugin \
    enable_service; do
    eval "function $name { say $name \"\$@\"; }"
done

function is_service_enabled { [[ ,$ENABLED_SERVICES, == *,$1,* ]]; }
function get_python_exec_prefix { echo "$STUBS/bin"; }
function database_connection_url { echo "mysql+pymysql://db/$1"; }
function ipv6_unquote { echo "${1//[\[\]]/}"; }
function die { shift; echo "$*" >&2; exit 1; }

function sudo { "$@"; }

# Sections may repeat: who reads the file allows it.
function iniset { printf '[%s]\n%s = %s\n' "$2" "$3" "$4" >> "$1"; }

function configure_keystone_authtoken_middleware {
    iniset "$1" "$3" username "$2"
    iniset "$1" "$3" auth_url http://identity
}

plugin=$1
shift
# shellcheck source=/dev/null
source "$plugin/settings"
# shellcheck source=/dev/null
source "$plugin/plugin.sh"
