// Your app: a page, three routes, and the tasks behind them.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import { type AgentEvent, exactJson, exactText, type GivenAnswer } from 'bridle/client'
import type { RunUpdate } from 'bridle/node'
import { startTasks } from './tasks.ts'

if (existsSync('.env')) process.loadEnvFile()
const { AGENT: agent = 'claude', REPOSITORY: repository = '.', PORT: port = '3000' } = process.env

/** A line when a task waits for an approval, and one at its end. */
const onRun = (update: RunUpdate): void => {
  const { id } = update.key
  if (update.type === 'approval') console.log(`${id} waits for approval of ${update.subject}.`)
  if (update.type === 'end') console.log(`${id} ${update.outcome}${update.message ? `: ${update.message}` : '.'}`)
}
const tasks = await startTasks({ agent, repository }, { onRun }).catch((error: Error) => {
  console.error(`The app could not start: ${error.message}`)
  process.exit(1)
})

/** Pages of other sites, which a browser on this machine may also show, must not begin tasks or approve anything. */
const isOwnPage = ({ headers: { host = '', origin } }: IncomingMessage): boolean =>
  [`127.0.0.1:${port}`, `localhost:${port}`].includes(host) && (origin === undefined || origin === `http://${host}`)

/** An approval as the page shows it: hidden characters by their number, so that an approval covers only visible text. */
const shownEvent = (event: AgentEvent) => {
  if (event.type !== 'approval_requested') return event
  const { subject, reason, args, questions, schema } = event.data
  // Each option is shown with its hidden characters, and sent as it is.
  const asked = questions?.map(({ question, options = [], ...rest }) => ({
    ...rest,
    text: exactText(question),
    options: options.map(({ label, description }) => ({ label, text: exactText(`${label} ${description ?? ''}`) })),
  }))
  const question = asked ? '' : `${exactText(`${subject}: ${reason ?? ''}`)}\n${exactJson(schema ?? args)}\n`
  return { ...event, question, asked }
}

const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const [, first, id = '', second, approvalId = ''] = new URL(request.url ?? '/', 'http://app').pathname.split('/')
  const { method } = request
  if (!isOwnPage(request)) {
    response.writeHead(403).end('Forbidden')
  } else if (method === 'GET' && first === '') {
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(await readFile(new URL('page.html', import.meta.url)))
  } else if (method === 'POST' && first === 'tasks' && second === undefined) {
    const { prompt } = (await json(request)) as { prompt: string }
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ id: await tasks.start(prompt) }))
  } else if (method === 'GET' && first === 'tasks' && second === 'events') {
    if (!(await tasks.has(id))) return void response.writeHead(404).end(`There is no task ${id}.`)
    response.setHeader('content-type', 'text/event-stream')
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    for await (const event of tasks.events(id, gone.signal))
      response.write(`data: ${JSON.stringify(shownEvent(event))}\n\n`)
  } else if (method === 'POST' && first === 'tasks' && second === 'approvals') {
    const { approved, ...given } = (await json(request)) as { approved?: boolean } & GivenAnswer
    if (approved === undefined) await tasks.answer(id, approvalId, given)
    else await tasks.decide(id, approvalId, approved === true)
    response.end()
  } else {
    response.writeHead(404).end('Not found')
  }
}

const server = createServer((request, response) => {
  handle(request, response).catch((error: Error) => {
    if (!response.headersSent) response.writeHead(400)
    response.end(error.message)
  })
})
server.once('error', (error) => {
  console.error(`The app could not start: ${error.message}. PORT=… chooses another port.`)
  process.exit(1)
})
server.listen(Number(port), '127.0.0.1', async () => {
  console.log(`The app is ready at http://127.0.0.1:${port}. ${agent} works on ${resolve(repository)}.`)
  const isThere = existsSync(repository)
  const problem = isThere
    ? await tasks.problem()
    : 'There is no such folder: name your repository as REPOSITORY in .env.'
  if (problem !== null) console.log(problem)
})

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
    void tasks.close()
  })
