import { usageError } from '../command/command.ts'

/** `ev-12` or its number. A suffix `~2` is the second incarnation of the log. */
export const parseEventFlag = (flag: string, text: string): string => {
  if (/^(ev-)?\d{1,15}(~\d{1,9})?$/.test(text)) return text
  throw usageError(`${flag} ${text} is not the id of an event, such as ev-12.`)
}
