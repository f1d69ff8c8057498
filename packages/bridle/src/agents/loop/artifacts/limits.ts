// Every limit of reading artifacts, with a line on why that number.

/** Characters of one page: some 2,000 tokens, and less than what becomes an artifact itself. */
export const ARTIFACT_PAGE_CHARS = 8_000
