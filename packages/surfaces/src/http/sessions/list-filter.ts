import { present } from '@bridle/events/json'
import { SESSION_STATUSES } from '@bridle/events/schemas'
import type { ListFilter } from '@bridle/kernel/ports/directory'
import { HEALTH_FLAGS } from '@bridle/words/health'
import * as v from 'valibot'
import type { AppPorts } from '../../app.ts'
import { agentsOfEngine } from '../access/agent-engine.ts'
import { optionalField, optionalText } from '../requests/request-fields.ts'
import { timeSchema } from '../router/route.ts'

export const listQueryEntries = {
  status: optionalField('Only sessions with this status.', v.picklist(SESSION_STATUSES)),
  kind: optionalField('Only sessions of this kind.', v.picklist(['chat', 'background'])),
  agent: optionalText('Only sessions of this agent.'),
  parent: optionalText('Only sessions that were started or branched from this one.'),
  search: optionalText('Only sessions whose title or id contains this text.'),
  archived: optionalField(
    'false (default): sessions that are not archived. true: archived sessions. all: both.',
    v.picklist(['true', 'false', 'all']),
  ),
  engine: optionalText('Only sessions of agents with this engine.'),
  flag: optionalField('Only sessions whose health has this flag.', v.picklist(HEALTH_FLAGS)),
  changed_since: optionalField('Only sessions that changed after this time, in ISO 8601.', timeSchema),
}

export const listQuery = v.looseObject(listQueryEntries)
type ListQuery = v.InferOutput<typeof listQuery>

export const listFilter = ({ agents }: Pick<AppPorts, 'agents'>, query: ListQuery): ListFilter => {
  const { status, kind, agent, parent, search, archived = 'false', engine, flag, changed_since: changedSince } = query
  return {
    ...present({ status, kind, agent, search, flag, changedSince, parentId: parent }),
    ...(archived !== 'all' && { archived: archived === 'true' }),
    ...(engine !== undefined && agentsOfEngine(agents, engine)),
  }
}
