import * as v from 'valibot'
import { present } from '../../../kernel/json.ts'
import type { ListFilter } from '../../../kernel/ports/directory.ts'
import { SESSION_STATUSES } from '../../../kernel/schemas.ts'
import { HEALTH_FLAGS } from '../../../words/health.ts'
import { agentsOfEngine } from '../agent-engine.ts'
import type { AppPorts } from '../router/app.ts'
import { timeSchema } from '../router/route.ts'

export const listQueryEntries = {
  status: v.optional(v.picklist(SESSION_STATUSES)),
  kind: v.optional(v.picklist(['chat', 'background'])),
  agent: v.optional(v.string()),
  parent: v.optional(v.string()),
  search: v.optional(v.string()),
  archived: v.optional(v.picklist(['true', 'false', 'all'])),
  engine: v.optional(v.string()),
  flag: v.optional(v.picklist(HEALTH_FLAGS)),
  changed_since: v.optional(timeSchema),
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
