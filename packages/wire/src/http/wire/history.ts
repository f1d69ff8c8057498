import * as v from 'valibot'
import * as f from './fields.ts'

const logEntrySchema = f.answer('LogEntry', "An event of a session's log.", {
  seq: f.count('The number of the event: dense, and a branch continues the numbers of its parent.'),
  at: f.count('The time in milliseconds. It never decreases from one entry to the next.'),
  type: f.text('The event type.'),
  run: f.optional(f.text('The run that the event belongs to.')),
  attempt: f.optional(f.count('The attempt of that run.')),
  continues: f.optional(f.count('The stopped attempt that this one continues.')),
  hearsay: f.optional(f.always(true, 'A runner reported a fact that only the server decides: no fold believes it.')),
  withheld: f.optional(f.always(true, 'The payload stays on the server: a fold only counts the entry.')),
  payload: f.anyObject('The payload of the event, without secrets of known shapes.'),
})
export type LogEntry = f.AnswerOf<typeof logEntrySchema>

const sessionKind = f.oneOf(['chat', 'background'], 'Whether people chat in it, or it works in the background.')

const logSessionSchema = f.answer('LogSession', 'The identity of a session in its log and in an export.', {
  id: f.text("The session's id."),
  agent: f.text('The agent of the session.'),
  kind: sessionKind,
  parent: f.optional(
    f.object(
      {
        agent: f.text('The agent of the parent.'),
        id: f.text("The parent's id."),
        seq: f.count('The number of the event.'),
        incarnation: f.count("The incarnation of the parent's log."),
      },
      'The event that this session branches from; absent = not a branch.',
    ),
  ),
})
export type LogSession = f.AnswerOf<typeof logSessionSchema>

export const importReceiptSchema = f.answer('ImportReceipt', 'The answer to an import.', {
  sessions: f.list(
    f.answer('ImportedSession', 'A session of the file.', {
      id: f.text('The id of the session on this server.'),
      agent: f.text('The agent of the session.'),
      events: f.count('The number of its events in the file.'),
      existing: f.optional(f.flag('True = the server had these events already, and nothing was written.')),
      renamed_from: f.optional(f.text('The id in the file, if another session has it here.')),
      ignored: f.optional(f.list(v.string(), 'Settings of the file that are ignored here, at most 20; absent = none.')),
    }),
    'The sessions of the file, in its order.',
  ),
})
export type ImportReceipt = f.AnswerOf<typeof importReceiptSchema>

export const logPageSchema = f.answer('SessionLogPage', 'A page of the log of a session.', {
  session: f.reference(logSessionSchema, 'The session that the log belongs to.'),
  entries: f.list(logEntrySchema, "Events in order, without a gap. A branch begins with its parent's."),
  head: f.count('The number of the newest event.'),
  incarnation: f.count('The incarnation of the log: the numbers of another one name other events.'),
  next: f.nullable(f.count('Pass it as `after` for the next page; null = this page ends at the head.')),
})
export type SessionLogPage = f.AnswerOf<typeof logPageSchema>
