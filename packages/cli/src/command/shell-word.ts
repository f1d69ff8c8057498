export const shellWord = (word: string): string => (/^[\w.:/-]+$/.test(word) ? word : shellQuoted(word))

/** Single quotes; bash and zsh need a quote inside to be closed, escaped and reopened. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
