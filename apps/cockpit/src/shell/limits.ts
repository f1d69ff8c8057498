// Limits of the frame.

/** Characters of a page's name in the title of the tab: a tab shows some twenty, its tooltip more. */
export const TITLE_CHARS = 120
