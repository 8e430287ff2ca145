/** A command cannot go on, for a reason that the user can mend. Shown as it is, without a stack. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
