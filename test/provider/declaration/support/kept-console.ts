/** What `pulumi.log` says without an engine goes to the console: kept here, and out of the report of the tests. */
export function keepConsole(): { readonly said: () => readonly string[] } {
  let said: string[] = [];
  const { warn, error } = console;

  beforeEach("the console is kept", () => {
    said = [];
    const keep = (text: string): void => void said.push(text);
    Object.assign(console, { warn: keep, error: keep });
  });

  afterEach("the console is given back", () => {
    Object.assign(console, { warn, error });
  });

  return { said: () => said };
}
