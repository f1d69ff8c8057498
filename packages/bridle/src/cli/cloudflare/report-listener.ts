// Listens for the reports of the Worker that `bridle dev --target cloudflare` runs. Only this machine reaches it, at a path that only the
// Worker knows.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { DevFailure, DevReport } from '../../targets/cloudflare/dev-reports.ts'
import type { DevLines } from '../terminal/dev-lines.ts'
import { isAsBuilt, mappedStack } from './mapped-stack.ts'

export interface ReportListener {
  /** The address for the Worker. */
  readonly url: string
  readonly close: () => void
}

export const listenForReports = async (lines: Pick<DevLines, 'run' | 'failure'>): Promise<ReportListener> => {
  const path = `/${randomUUID()}`
  const server = createServer((request, response) => {
    const isOurs = request.method === 'POST' && request.url === path
    const taken = isOurs ? take(request, lines) : Promise.resolve(404)
    void taken.then((status) => response.writeHead(status).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const take = async (request: IncomingMessage, lines: Pick<DevLines, 'run' | 'failure'>): Promise<number> => {
  try {
    for (const report of JSON.parse(await text(request)) as readonly DevReport[]) {
      if (report.type === 'run') lines.run(report.update)
      else {
        const { errors } = report.failure
        const isCurrent = (file: string) => errors.every(({ stack }) => isAsBuilt(stack, file))
        lines.failure({ ...report.failure, error: errorOf(report.failure) }, isCurrent)
      }
    }
    return 204
  } catch {
    // The Worker and this command are of one version, except where a project bundles another one: its reports are not shown.
    return 400
  }
}

/** The thrown value, as code of this process would have thrown it. */
const errorOf = ({ errors, value }: DevFailure): unknown =>
  errors.length === 0
    ? value
    : errors.toReversed().reduce<Error | undefined>((cause, { name, message, stack }) => {
        const error = new Error(message, cause && { cause })
        return Object.assign(error, { name, stack: mappedStack(stack) })
      }, undefined)
