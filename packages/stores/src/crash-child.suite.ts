// A process to be killed: appends to a few sessions for ever and prints what was acknowledged, once it was.
import { writeSync } from 'node:fs'
import { openSqlite } from './data-folder.ts'

const [folder = '', mode = 'append'] = process.argv.slice(2)
const store = await openSqlite(folder)
writeSync(1, 'open\n')

const appendForever = async (id: string): Promise<void> => {
  const lease = (await store.log.open({ tenant: 'acme', agent: 'scripted', id }))!
  for (let head = lease.head, batch = 1; ; batch++) {
    const events = Array.from({ length: (batch % 3) + 1 }, (_, n) => ({
      seq: head + 1 + n,
      at: 1,
      type: 'token',
      payload: `${id}/${head + 1 + n}`,
    }))
    head += events.length
    await store.log.append(lease, {
      events: events as never,
      row: {
        kind: 'chat',
        status: 'running',
        title: `${head}`,
        createdAt: 0,
        updatedAt: head,
        parent: null,
        approvals: [],
        detail: {},
      },
      results: [{ commandId: `c${head}`, bodyHash: 'h', answer: head }],
    })
    writeSync(1, `${id} ${head}\n`)
  }
}

if (mode === 'append') await Promise.all(['one', 'two', 'three', 'four', 'five'].map(appendForever))
else setInterval(() => {}, 1000)
