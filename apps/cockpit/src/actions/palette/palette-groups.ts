// The things that the palette finds: actions, events, approvals, sessions and agents.

import type { AgentDescription, PendingApproval, SessionRow } from 'bridle/client'
import { statusText } from 'bridle/words'
import { approvalBrief } from '../../approval/approval-words.ts'
import { agentPath, DEBUG_VIEW, inboxPath, sessionPath } from '../../shell/paths.ts'
import { visibleText } from '../../ui/plain-text.ts'
import { titleText } from '../../ui/script-text.ts'
import { statusLook } from '../../ui/status.tsx'
import type { OfferedAction } from '../action-store.ts'
import { ACTION_GROUPS, ACTION_IDS, actionRow } from '../action-table.ts'
import { eventOf, type PaletteGroup, type PaletteItem } from './palette-item.ts'

/** Characters of a text in a row of the palette. */
const ROW_CHARS = 120

export interface PageSession {
  readonly id: string
  readonly agent: string | null
}

export interface PaletteSources {
  readonly query: string
  readonly offered: readonly OfferedAction[]
  /** The session of the page. */
  readonly here: PageSession | null
  /** Only what belongs to the session of the page. */
  readonly isHere: boolean
  readonly sessions: readonly SessionRow[]
  readonly approvals: readonly PendingApproval[]
  readonly agents: readonly AgentDescription[]
  readonly navigate: (path: string) => void
}

export const paletteGroups = (sources: PaletteSources): readonly PaletteGroup[] => {
  const { here, isHere } = sources
  const isOwn = (id: string, agent: string): boolean => here?.id === id && (here.agent === null || here.agent === agent)
  const approvals = sources.approvals.filter(({ sessionId, agent }) => !isHere || isOwn(sessionId, agent))
  const sessions = sources.sessions.filter(
    ({ id, agent, parent_session_id: parent }) => !isOwn(id, agent) && (!isHere || parent === here?.id),
  )
  return [
    { title: 'Events', items: eventItems(sources) },
    { title: 'Actions', items: actionItems(sources.offered, false) },
    { title: 'Approvals', items: approvals.map((each) => approvalItem(each, sources)) },
    { title: 'Sessions', items: sessions.map((row) => sessionItem(row, sources)) },
    { title: 'Agents', items: isHere ? [] : sources.agents.map((agent) => agentItem(agent, sources)) },
    { title: 'Copy', items: actionItems(sources.offered, true) },
  ]
}

/** In the order of the table: the acts of the page before those of every page. */
const actionItems = (offered: readonly OfferedAction[], isCopy: boolean): readonly PaletteItem[] => {
  const groupPlace = (id: OfferedAction['id']): number => {
    const { group } = actionRow(id)
    return group === 'Everywhere' ? ACTION_GROUPS.length : ACTION_GROUPS.indexOf(group)
  }
  const place = new Map(ACTION_IDS.map((id, at) => [id, at]))
  return offered
    .filter(({ id }) => (actionRow(id).group === 'Copy') === isCopy && id !== 'palette.open')
    .toSorted(
      (one, other) =>
        groupPlace(one.id) - groupPlace(other.id) || (place.get(one.id) ?? 0) - (place.get(other.id) ?? 0),
    )
    .map((action, at) => {
      const row = actionRow(action.id)
      return {
        key: `${action.id} ${at}`,
        action: action.id,
        icon: action.icon ?? row.icon,
        words: rowText(action.words ?? row.words),
        ...(action.detail !== undefined && { detail: rowText(action.detail) }),
        ...(action.words !== undefined && { more: row.words }),
        ...(row.keys !== undefined && { keys: row.keys }),
        run: action.run,
      }
    })
}

/** Numbers go to events of the session of the page. */
const eventItems = ({ query, here, navigate }: PaletteSources): readonly PaletteItem[] => {
  const event = eventOf(query)
  if (event === null || here === null) return []
  const to = (more: { readonly [name: string]: string }): (() => void) => {
    const session = { id: here.id, ...(here.agent !== null && { agent: here.agent }) }
    return () => navigate(sessionPath(session, more))
  }
  const text = String(event)
  // The row fits however the event is named.
  const common = { words: `Event ${event}`, more: `go to ${query}` }
  return [
    { ...common, key: 'event', icon: 'list', detail: 'in the timeline', run: to({ tab: 'timeline', event: text }) },
    { ...common, key: 'event at', icon: 'history', detail: 'the session as it was', run: to({ at: text }) },
    {
      ...common,
      key: 'event raw',
      icon: 'terminal',
      detail: 'raw, in debug',
      run: to({ view: DEBUG_VIEW, event: text }),
    },
  ]
}

const approvalItem = (approval: PendingApproval, { navigate }: PaletteSources): PaletteItem => ({
  key: `${approval.agent} ${approval.sessionId} ${approval.id}`,
  icon: approval.kind === 'question' ? 'circle-question-mark' : 'shield-alert',
  words: `${approval.kind === 'question' ? 'Answer' : 'Review'} ${rowText(approvalBrief(approval))}`,
  detail: rowText(approval.title ?? approval.sessionId),
  more: `${approval.kind === 'question' ? 'question' : 'approval'} ${approval.id} ${approval.sessionId}`,
  side: 'waits',
  run: () => navigate(inboxPath(approval)),
})

const sessionItem = (row: SessionRow, { navigate }: PaletteSources): PaletteItem => ({
  key: `${row.agent} ${row.id}`,
  icon: statusLook(row.status).icon,
  words: rowText(titleText(row)),
  detail: rowText(row.id),
  more: row.agent,
  side: statusText(row.status),
  run: () => navigate(sessionPath(row)),
})

const agentItem = ({ name, description }: AgentDescription, { navigate }: PaletteSources): PaletteItem => ({
  key: name,
  icon: 'bot',
  words: rowText(name),
  detail: rowText(description ?? ''),
  more: 'agent try',
  run: () => navigate(agentPath(name)),
})

const rowText = (text: string): string => visibleText(text.slice(0, ROW_CHARS).replace(/\s+/g, ' '))
