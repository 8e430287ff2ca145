# For GitLab only: on GitHub, actions log in. A job sources this script (. node_modules/page-guard/ci/login.sh) to log in to the
# state backend with the job's own token (OIDC), as the role or user that the variables name.
if [ -n "${AWS_ROLE_ARN:-}" ]; then
  AWS_WEB_IDENTITY_TOKEN_FILE=$(mktemp)
  export AWS_WEB_IDENTITY_TOKEN_FILE
  printf %s "$AWS_ID_TOKEN" > "$AWS_WEB_IDENTITY_TOKEN_FILE"
fi
if [ -n "${PULUMI_ORGANIZATION:-}" ]; then
  # The token is in a file, because every process on the machine can see arguments.
  pulumi_token=$(mktemp)
  printf %s "$PULUMI_ID_TOKEN" > "$pulumi_token"
  pulumi login --oidc-org "$PULUMI_ORGANIZATION" --oidc-user "$PULUMI_USER" --oidc-token "file://$pulumi_token"
  rm -f "$pulumi_token"
fi
