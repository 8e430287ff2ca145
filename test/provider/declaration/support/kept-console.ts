/** Captures console output, where `pulumi.log` writes without an engine, and keeps it out of the test report. */
export function keepConsole(): { readonly said: () => readonly string[] } {
  let said: string[] = [];
  const { warn, error } = console;

  beforeEach("capture the console", () => {
    said = [];
    const keep = (text: string): void => void said.push(text);
    Object.assign(console, { warn: keep, error: keep });
  });

  afterEach("restore the console", () => {
    Object.assign(console, { warn, error });
  });

  return { said: () => said };
}
