import * as f from './fields.ts'

export const nameClaim = f.optional(
  f.always(true, 'The caller supplied the name, since its credential has no user; absent = otherwise.'),
)

export const auditEntrySchema = f.answer('AuditEntry', 'An act of an operator or of the server.', {
  event_id: f.text('The event of the act.'),
  timestamp: f.time('The time, in ISO 8601.'),
  action: f.text('The act.'),
  actor: f.nullableText('The person who acted; null = the server, or not named.'),
  actor_claimed: nameClaim,
  summary: f.text('A line for people.'),
  imported: f.optional(f.always(true, 'From an imported file; absent = done on this server.')),
})
export type AuditEntry = f.AnswerOf<typeof auditEntrySchema>

export const auditPageSchema = f.answer('AuditPage', 'A page of what operators and the server did with a session.', {
  audit: f.list(auditEntrySchema, 'The rows of this page, newest first.'),
  next: f.optional(f.text('Pass it as `before` for the next page.')),
})
export type AuditPage = f.AnswerOf<typeof auditPageSchema>
