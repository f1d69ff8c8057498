// Commands that are sent while the disk fails: a refusal is fine, an acknowledgement must be kept.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from './http.ts'
import type { SessionAddress } from './wire-client.ts'
import type { CrashWorld } from './world.ts'

const PROBES = 6
const tenants = ['ada', 'bo', 'cy'] as const
let count = 0

interface ProbeCheck {
  /** After the fault: every acknowledged command is there. */
  readonly check: () => Promise<void>
}

export const sendProbes = async (world: CrashWorld): Promise<ProbeCheck> => {
  const acknowledged: string[] = []
  const places = Array.from({ length: PROBES }, (_, index) =>
    world.placeOf(tenants[index % tenants.length] as string, `probe-${++count}`),
  )
  for (const place of places) {
    if (await isTaken(place)) acknowledged.push(place.id)
    await sleep(world.chance.int(5, 60))
  }
  return {
    check: async () => {
      for (const place of places) {
        const isPromised = acknowledged.includes(place.id)
        const status = isPromised ? (await request(place, `/sessions/${place.id}`))?.status : undefined
        world.tally.check('9', !isPromised || status === 200, () => `${place.id} was acknowledged, and is ${status}`)
      }
    },
  }
}

const isTaken = async (place: SessionAddress): Promise<boolean> => {
  const answer = await request(place, '/chat/sessions', {
    body: { agent: 'scripted', session_id: place.id },
    key: place.id,
  })
  return answer !== null && answer.status < 300
}

/** A server that refuses work reports it in `/ready` sooner or later, unless it accepts work again before. */
export const checkReady = async (world: CrashWorld): Promise<void> => {
  let status: number | undefined
  for (const until = Date.now() + READY_MS; Date.now() < until; await sleep(READY_POLL_MS)) {
    if (await isTaken(world.placeOf('ada', `probe-${++count}`))) return
    status = (await request(world.placeOf('ada', ''), '/ready'))?.status
    if (status === 503) break
  }
  world.tally.check('ready', status === 503, () => `/ready says ${status} while commands are refused`)
}

const READY_MS = 10_000
const READY_POLL_MS = 100
