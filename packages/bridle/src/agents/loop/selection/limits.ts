// Every limit of the choice among many tools, with a line on why that number.

/** Tools that one search adds: a model that looks for one tool reads five descriptions, and a request grows by five schemas. */
export const FOUND_PER_SEARCH = 5
/** Characters at each end of a prompt that the choice reads: people say what they want first or last, and paste data in between. */
export const QUERY_END_CHARS = 2_000
/** Characters of a query of the model: a sentence. */
export const QUERY_CHARS_MAX = 1_000
/** Words of one tool that count: a schema with thousands of fields must not cost more than the step. */
export const TOOL_WORDS_MAX = 500
/** Levels of a schema whose fields count: deeper ones say little about what the tool is for. */
export const SCHEMA_LEVELS = 3
/** How soon more of the same word says nothing new. The usual value of BM25. */
export const SATURATION = 1.2
/** How much a long description counts against a tool: less than in prose, since authors of good tools describe them well. */
export const LENGTH_WEIGHT = 0.5
/** How much more a word counts in the name of a tool than in its description. */
export const NAME_WEIGHT = 3
/** How much a word of the same meaning counts, compared with the word itself. */
export const SYNONYM_WEIGHT = 0.5
/** Characters of a description in the answer of a search: its first sentences. */
export const DESCRIPTION_CHARS = 300
/** Words that are named as the reason of a choice. */
export const REASON_WORDS_MAX = 5
