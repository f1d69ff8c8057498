// The sizes of the timeline's page.

/** The height of a row with a call, and the room above and below the rows of a group with its line: the sheet has the same. */
export const ROW_PX = 32
export const GROUP_PX = 7

/** The height of a group with one row: its label has two lines. */
export const GROUP_MIN_PX = 45

/** On a phone the name of a group has a line above its rows. */
export const GROUP_HEAD_PX = 24

/** Rows beyond the edges of the window that are drawn: a scroll shows no empty place before the next frame. */
export const OVERSCAN_PX = 320

/** The smallest part of the axis that can be shown: a session of days is then minutes wide. */
export const WINDOW_MIN = 0.001

/** A step of the zoom, by a key or a turn of the wheel. */
export const ZOOM_STEP = 1.5

/** The part of the window that an arrow key moves it by. */
export const PAN_PART = 0.15

/** Words below the axis of the page, which is wide. */
export const PAGE_TICKS_MAX = 7

/** A tick beyond this part of the axis would run into the word at its end. */
export const PAGE_LAST_TICK = 0.93

/** Marks that are nearer to each other than this part of the window are one, with their number. */
export const MARK_ROOM = 0.036

/** The same for folded stretches, which are narrow. */
export const FOLD_ROOM = 0.03

/** Pixels that a pointer moves before a click becomes a drag. */
export const DRAG_PX = 4

/** The words beside a bar stand on its right where it ends before this part, else on its left where it begins after that one. */
export const WORDS_RIGHT_MAX = 0.72
export const WORDS_LEFT_MIN = 0.12

/** Characters of an error or a result beside a bar, which has one line. */
export const NOTE_CHARS = 60

/** The height of the overview's drawing, in its own units. */
export const OVERVIEW_HEIGHT = 40
