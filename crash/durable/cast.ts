// The sessions of a row: one that is never killed, one that is killed in its first turn, one in its second, and background work.
import type { PendingApproval } from '@bridle/wire/http/wire'
import { childPlace } from './plan.ts'
import type { DeathRow } from './rows.ts'
import type { AgentName, DurableSession, DurableWorld } from './world.ts'

export interface RowSession extends DurableSession {
  readonly row: DeathRow
  /** The place of the turn in which the server is killed; null: the session is never killed. */
  readonly killed: string | null
}

export const castOf = (row: DeathRow, agent: AgentName): readonly RowSession[] =>
  (['alone', 'first', 'second', 'work'] as const).map((role) => {
    const id = `${row.name}-${agent}-${role}`
    const turns = role === 'work' ? [1] : [1, 2]
    const plans = turns.map((turn) => ({
      ...{ place: `${id}-${turn}`, steps: row.steps },
      ...(row.isGuided && { isGuided: true }),
    }))
    const killed = role === 'alone' ? null : (plans[role === 'second' ? 1 : 0]?.place ?? null)
    return { id, agent, kind: role === 'work' ? 'background' : 'chat', plans, row, killed }
  })

const isGate = ({ at }: DeathRow): boolean => !['waiting', 'answered', 'sent', 'decided'].includes(at)
const gatePlace = ({ isInChild }: DeathRow, place: string): string => (isInChild ? childPlace(place) : place)
const isHeld = ({ row, killed }: RowSession, place: unknown): boolean => killed === place && !isGate(row)

export const closeGates = ({ effects }: DurableWorld, cast: readonly RowSession[]): void => {
  for (const { row, killed } of cast) if (killed !== null && isGate(row)) effects.close(gatePlace(row, killed), row.at)
}

export const openGates = ({ effects }: DurableWorld, cast: readonly RowSession[]): void => {
  for (const { row, killed } of cast) if (killed !== null && isGate(row)) effects.open(gatePlace(row, killed), row.at)
}

/** The verdict of the row. An approval of the killed turn stays open until the server was killed, where the row kills it in its wait. */
export const verdictOf =
  (cast: readonly RowSession[], isKilled: () => boolean) =>
  ({ sessionId, kind, args }: PendingApproval): 'approve' | 'reject' | null => {
    const session = cast.find(({ id }) => id === sessionId)
    if (!session) return null
    if (kind === 'unknown_outcome') return session.row.unknown ?? null
    return isHeld(session, args?.place) && !isKilled()
      ? null
      : session.row.verdict === undefined
        ? 'approve'
        : session.row.verdict
  }

/** Resolves when the session stands where the server is to be killed. */
export const atPoint = async (world: DurableWorld, session: RowSession): Promise<void> => {
  const { row, killed, id, plans } = session
  if (killed === null || row.at === 'sent' || row.at === 'decided') return
  if (isGate(row)) {
    const place = gatePlace(row, killed)
    await world.until(`${killed} reaches ${row.at}`, () => world.effects.reachedBy(place, row.at) !== null)
  }
  if (row.settled) {
    const turns = plans.findIndex(({ place }) => place === killed)
    const calls = row.steps.flatMap((step) => step.calls ?? [])
    const settled = turns * calls.length + 1 + row.settled.length
    await world.until(`${id} has ${settled} outcomes`, async () => (await outcomesOf(world, session)) >= settled)
  }
  if (isGate(row)) return
  const step = row.steps.find(
    ({ calls, ask, sleepMs, waitFor }) =>
      calls?.some((call) => call === 'deploy1' || call === 'lapse1') || ask || sleepMs || waitFor,
  )
  if (step?.sleepMs || step?.waitFor)
    await world.until(
      `${killed} waits`,
      async () =>
        (await answersOf(world, id))[plans.findIndex(({ place }) => place === killed)]?.endsWith(step.say) ?? false,
    )
  else
    await world.until(`${killed} asks`, async () =>
      (await world.approvals()).some(({ sessionId, args }) => sessionId === id && args?.place === killed),
    )
}

const answersOf = async (world: DurableWorld, id: string): Promise<string[]> =>
  ((await world.detail(id))?.messages ?? []).filter(({ role }) => role === 'assistant').map(({ content }) => content)

const outcomesOf = async (world: DurableWorld, { agent, id }: RowSession): Promise<number> => {
  const timeline = await world.request<{ events?: readonly { type: string }[] }>(`/agents/${agent}/${id}`)
  return timeline?.body.events?.filter(({ type }) => type === 'tool_end').length ?? 0
}

/** Answers the approvals of a row's killed turns at once, and resolves when the answers are in the log. */
export const answerNow = async (world: DurableWorld, cast: readonly RowSession[]): Promise<void> => {
  const open = await world.approvals()
  await Promise.all(
    cast
      .filter(({ row }) => row.at === 'answered')
      .flatMap(({ killed, row }) =>
        open
          .filter(({ args }) => args?.place === killed)
          .map((approval) => world.answer(approval, row.verdict ?? 'approve')),
      ),
  )
}

/** Sends the signal that each run waits for, once it waits; to a killed run only after the kill. */
export const sendSignals = async (
  world: DurableWorld,
  cast: readonly RowSession[],
  isKilled: () => boolean,
): Promise<void> => {
  await Promise.all(
    cast.flatMap((session) => {
      const step = session.row.steps.find(({ waitFor }) => waitFor !== undefined)
      if (!step) return []
      return session.plans.map(async ({ place }, turn) => {
        await world.until(`${place} takes its signal`, async () => {
          if (place === session.killed && !isKilled()) return false
          if (!(await answersOf(world, session.id))[turn]?.endsWith(step.say)) return false
          const signal = { name: step.waitFor, payload: { turn } }
          return (await world.request(`/sessions/${session.id}/signal`, signal, `${place}-signal`))?.status === 200
        })
      })
    }),
  )
}
