# Sourced by other scripts. without_secrets [NAME=VALUE...] COMMAND...: runs the command with these variables, and with the job's
# variables that are listed here. Leaves out variables of the job whose names suggest a secret.
without_secrets() {
  for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
    case $name in *TOKEN* | *KEY* | *SECRET* | *PASS* | *AUTH* | *[Tt]oken* | npm_config__*) continue ;; esac
    case $name in
      PATH | HOME | USER | LOGNAME | SHELL | LANG | LC_* | TZ | TERM | TMPDIR | XDG_* | RUNNER_* | LD_LIBRARY_PATH) ;;
      CI | GITHUB_ACTIONS | GITHUB_STEP_SUMMARY | GITLAB_CI | NO_COLOR | FORCE_COLOR | *_PROXY | *_proxy | SSL_CERT_*) ;;
      NODE_* | NVM_* | COREPACK_* | PNPM_HOME | YARN_* | npm_config_* | NPM_CONFIG_* | PYTHON* | VIRTUAL_ENV | DOTNET_* | JAVA_HOME) ;;
      GOROOT | GOPATH | GOCACHE | GOMODCACHE | GOFLAGS | GOPROXY | GOTOOLCHAIN) ;;
      PAGE_GUARD_* | POLICY_PACK* | STACK_SETTINGS | PULUMI_HOME | PULUMI_SKIP_* | PULUMI_DISABLE_* | PULUMI_NODEJS_*) ;;
      *) continue ;;
    esac
    eval "set -- \"$name=\${$name-}\" \"\$@\""
  done
  env -i "$@"
}
