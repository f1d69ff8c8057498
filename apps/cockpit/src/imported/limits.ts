/** Prompts on the page at first, and with each further step: a browser takes seconds to lay out thousands. */
export const PROMPTS_SHOWN = 50
