// Some fields are listed in both spellings, because two documents describe the wire.
import { SESSION_STATUSES } from '@bridle/events/schemas'
import * as f from './fields.ts'

export const sessionFields = {
  id: f.text("The session's id."),
  sessionId: f.text('The same as `id`.'),
  session_id: f.text('The same as `id`.'),
  agent: f.text("The name of the session's agent."),
  kind: f.oneOf(['chat', 'background'], 'The kind: `chat` or `background`.'),
  status: f.oneOf(SESSION_STATUSES, 'The status of the session.'),
  title: f.text('The title.'),
  createdAt: f.time('The time of the first event, in ISO 8601.'),
  updatedAt: f.time('The time of the last event, in ISO 8601.'),
  created_at: f.time('The same as `createdAt`.'),
  updated_at: f.time('The same as `updatedAt`.'),
  lastEventId: f.text('The id of the last event: a stream resumes after it.'),
  parent_session_id: f.nullableText('The session that this one was started or branched from; null = none.'),
  attempt_count: f.count('The number of attempts at the current or last run.'),
  max_retries: f.count('The number of times that a failed run is tried again.'),
  expires_at: f.nullableTime('The time at which a background session expires, in ISO 8601; null = never.'),
  ended_at: f.nullableTime('The time at which the session ended, in ISO 8601; null = not yet.'),
  last_heartbeat_at: f.nullableTime('The time of the last heartbeat of a run, in ISO 8601; null = none so far.'),
  branch_source_event_id: f.nullableText('The event at which the branch left its parent; null = not a branch.'),
  branch_resume_cursor: f.nullableText('The cursor at which the branch left its parent; null = not a branch.'),
  engine: f.text('The engine that does the work; `native` for an agent in the server.'),
  runner_kind: f.oneOf(
    ['in_process', 'bridge'],
    '`in_process`: the server runs the agent. `bridge`: an engine in a sandbox does.',
  ),
  approval_request_id: f.nullableText('The oldest approval that waits; null = none.'),
  last_error: f.nullableText('The reason of the last failure; null = none.'),
  model: f.nullableText('The model of the last run; null = unknown.'),
  retry_at: f.nullableTime('The time of the next attempt of a run that failed, in ISO 8601; null = none is due.'),
  archived: f.flag('The session is archived; a prompt unarchives it.'),
}
