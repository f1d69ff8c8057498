// The title of a session, for every route that takes one.
import * as v from 'valibot'
import { SESSION_TITLE_CHARS_MAX } from '../limits.ts'

export const sessionTitle = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(SESSION_TITLE_CHARS_MAX))
