// Limits of the credential proxy and of spending, with the reason for each number.

/** Open requests of one run: no engine has as many; a program in a loop soon does. */
export const OPEN_REQUESTS_MAX = 32
/** The bodies of the open requests of one run: two of the largest, so that one run cannot fill the memory of the server. */
export const OPEN_REQUEST_BYTES_MAX = 64 * 1024 * 1024
/** A provider describes an error in a few hundred bytes; the rest of a longer description is cut. */
export const ERROR_BYTES_MAX = 1024 * 1024
