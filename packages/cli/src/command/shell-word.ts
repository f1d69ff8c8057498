// Words of a command line that people copy into a shell, or that a script of a shell has.

/** The word as it is where no shell changes it, else in quotes. */
export const shellWord = (word: string): string => (/^[\w.:/-]+$/.test(word) ? word : shellQuoted(word))

/** In single quotes: bash and zsh close them, escape one, and open them again. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
