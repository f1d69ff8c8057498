// Limits of the frame.

/** Characters of a page's name in the title of the tab: a tab shows some twenty, its tooltip more. */
export const TITLE_CHARS = 120

/** Sessions of one list in the side bar: more would push the rest of the bar away, and the page of sessions has all. */
export const SIDE_SESSIONS = 6
