/** Sets variables for a while. Gives what makes the environment as it was: what had a value before has it again. */
export function lend(env: NodeJS.ProcessEnv, variables: NodeJS.ProcessEnv): () => void {
  const before = { ...env };
  Object.assign(env, variables);
  return () => {
    for (const name of Object.keys(variables)) {
      if (Object.hasOwn(before, name)) env[name] = before[name];
      else delete env[name];
    }
  };
}
