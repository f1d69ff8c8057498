// The numbers of the page of health.

/** Cards that load their reasons by themselves: a screen shows no more. */
export const OPEN_CARDS = 8
