// The filters of a list of sessions, for every route that takes them.
import * as v from 'valibot'
import { present } from '../../../kernel/json.ts'
import type { ListFilter } from '../../../kernel/ports/directory.ts'
import { HEALTH_FLAGS } from '../../../kernel/projections/health/health-score.ts'
import { SESSION_STATUSES } from '../../../kernel/schemas.ts'
import { agentsOfEngine } from '../agent-engine.ts'
import { optional, optionalText } from '../requests/fields.ts'
import type { AppPorts } from '../router/app.ts'
import { timeSchema } from '../router/route.ts'

export const listQueryEntries = {
  status: optional('Only sessions with this status.', v.picklist(SESSION_STATUSES)),
  kind: optional('Only sessions of this kind.', v.picklist(['chat', 'background'])),
  agent: optionalText('Only sessions of this agent.'),
  parent: optionalText('Only sessions that were started or branched from this one.'),
  search: optionalText('Only sessions whose title or id contains this text.'),
  archived: optional(
    'Without the archived sessions (false, the default), only those (true), or both (all).',
    v.picklist(['true', 'false', 'all']),
  ),
  engine: optionalText('Only sessions of agents with this engine.'),
  flag: optional('Only sessions whose health has this flag.', v.picklist(HEALTH_FLAGS)),
  changed_since: optional('Only sessions that changed after this time, in ISO 8601.', timeSchema),
}

export const listQuery = v.looseObject(listQueryEntries)

type ListQuery = v.InferOutput<typeof listQuery>

/** The conditions of a query; its order and its page are the caller's. */
export const listFilter = ({ agents }: Pick<AppPorts, 'agents'>, query: ListQuery): ListFilter => {
  const { status, kind, agent, parent, search, archived = 'false', engine, flag, changed_since: changedSince } = query
  return {
    ...present({ status, kind, agent, search, flag, changedSince, parentId: parent }),
    ...(archived !== 'all' && { archived: archived === 'true' }),
    ...(engine !== undefined && agentsOfEngine(agents, engine)),
  }
}
