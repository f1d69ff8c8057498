// Commands that are sent while the disk is in trouble: a refusal is fine, an acknowledgement must be kept.
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from './http.ts'
import type { World } from './world.ts'

const PROBES = 6
const tenants = ['ada', 'bo', 'cy'] as const
let count = 0

export const sendProbes = async (world: World): Promise<{ readonly check: () => Promise<void> }> => {
  const acknowledged: string[] = []
  const places = Array.from({ length: PROBES }, (_, index) =>
    world.placeOf(tenants[index % tenants.length] as string, `probe-${++count}`),
  )
  for (const place of places) {
    const body = { agent: 'scripted', session_id: place.id }
    const answer = await request(place, '/chat/sessions', { body, key: place.id })
    if (answer !== null && answer.status < 300) acknowledged.push(place.id)
    await sleep(world.chance.int(5, 60))
  }
  return {
    check: async () => {
      for (const place of places) {
        if (!acknowledged.includes(place.id)) continue
        const answer = await request(place, `/sessions/${place.id}`)
        world.tally.check('11', answer?.status === 200, () => `${place.id} was acknowledged, and is ${answer?.status}`)
      }
    },
  }
}
