// A file that is uploaded and used in a prompt while a fault strikes: the run reads exactly the bytes that were sent.

import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS, RepeatableCommand } from '../command.ts'
import { request } from '../http.ts'
import { POLL_MS } from '../session.ts'
import type { GuestMaker } from './guest.ts'

/** More than one piece on its way. */
const FILE_CHARS = 200_000

export const uploadingGuest: GuestMaker = (world) => ({
  round: (number) => {
    const place = world.placeOf('ada', `files-${number}`)
    const text = `${number} `.repeat(FILE_CHARS / 2)
    const upload = async (): Promise<string | null> => {
      for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await sleep(POLL_MS)) {
        const answer = await request(place, '/files?filename=note.txt', { file: text })
        if (answer?.status === 201) return String(answer.body.ref_id)
      }
      return null
    }
    const use = async (file: string): Promise<void> => {
      const body = {
        prompt: JSON.stringify({ place: place.id, steps: [{ say: 'Read: ', reads: true }] }),
        attachments: [{ ref_id: file }],
      }
      const command = new RepeatableCommand(place.id, async () => {
        const answer = await request(place, `/agents/${place.agent}/${place.id}`, { body, key: place.id })
        if (answer === null || answer.status === 503) return null
        return { isAcknowledged: answer.status === 200, answer: answer.body }
      })
      command.begin()
      await command.repeat(world.tally)
      const messages = (await request(place, `/sessions/${place.id}`))?.body.messages as { content: string }[]
      world.tally.checkEqual('11', messages?.at(-1)?.content, `Read: [${text.length}: ${text.slice(0, 20)}]`, place.id)
    }
    let done: Promise<void> = Promise.resolve()
    return {
      begin: () => {
        done = upload().then((file) => (file === null ? world.tally.giveUp(`${place.id} was not uploaded`) : use(file)))
      },
      settle: () => done,
    }
  },
})
