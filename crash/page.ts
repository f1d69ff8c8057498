// docs/crash-matrix.md, made from the results.
import { readFileSync } from 'node:fs'
import type { RowResult } from './matrix.ts'
import { promiseIds, promises } from './promises.ts'

const { version } = JSON.parse(readFileSync(new URL('../packages/bridle/package.json', import.meta.url), 'utf8')) as {
  version: string
}

export const matrixPage = (results: readonly RowResult[]): string => `# The crash matrix

\`npm run crash\` writes this page. It starts a real server (\`bridle start\`, with SQLite in a folder of its own) and plays rounds.
In each round three sessions of three tenants begin at the same time: a chat that streams and calls a tool (HTTP, with an
\`Idempotency-Key\`), a chat that asks for an approval (the transport's WebSocket), and background work. Four clients watch each of them:
the transport, the Fabric event stream, the Fabric WebSocket and the event stream of the frontend contract. The fault strikes at any moment of the
first turn, or of the second where the row says so. Then every command is sent again with its key, the approval is answered, and the chats get another turn. When
all sessions are at rest, what the clients saw is compared with what the server answers. The sessions belong to the scripted agent. In rows with
a kind of agent in their name they belong to a durable function, a model agent or Claude Code, and the calls of the first two are also compared with what really happened.

A cell says how often a promise was broken, of how many looks; \`–\` means that the fault does not put it to the test. If the harness itself gave up, the last column says so: such a row proves nothing.

Bridle ${version}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}.

${table(results)}

| promise | says |
| --- | --- |
${promiseIds.map((id) => `| ${id} | ${promises[id as never]} |`).join('\n')}

| fault | what happens |
| --- | --- |
${results.map(({ fault, note = '' }) => `| ${fault.name} | ${`${fault.what} ${note}`.trim()} |`).join('\n')}

"The kernel forgets the pages" means: a page whose sync failed counts as written, as on Linux, so that a later sync which succeeds
does not write it. A library that is loaded into the server keeps, beside its files, what would be on the disk, and a power cut
puts that in place of the files.
`

const table = (results: readonly RowResult[]): string => {
  const head = ['fault', 'rounds', ...promiseIds, 'broken']
  const rows = results.map(({ fault, rounds, skipped, looks, broken, harnessErrors }) =>
    skipped !== undefined
      ? [fault.name, `skipped: ${skipped}`, ...promiseIds.map(() => ''), '']
      : [
          fault.name,
          String(rounds),
          ...promiseIds.map((id) =>
            looks[id] ? `${broken.filter(({ promise }) => promise === id).length} of ${looks[id]}` : '–',
          ),
          [
            broken.length === 0 ? 'none' : `**${broken.length}**`,
            ...(harnessErrors.length > 0 ? [`the harness gave up ${harnessErrors.length} times`] : []),
          ].join(', '),
        ],
  )
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
