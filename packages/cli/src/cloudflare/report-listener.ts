// Receives reports from the development Worker, on loopback at a secret path.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { SourceMap } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { tryOr } from '@bridle/kernel/try-or'
import type { DevFailure, DevReport } from '@bridle/server/cloudflare/dev-reports'
import type { DevLines } from '../terminal/dev-lines.ts'

export interface ReportListener {
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
    // Only a project that bundles another version sends unreadable reports. Ignore them.
    return 400
  }
}

const errorOf = ({ errors, value }: DevFailure): unknown =>
  errors.length === 0
    ? value
    : errors.toReversed().reduce<Error | undefined>((cause, { name, message, stack }) => {
        const error = new Error(message, cause && { cause })
        return Object.assign(error, { name, stack: mappedStack(stack) })
      }, undefined)

/** Maps a bundle's stack to its sources. Reads the maps each time, because a changed file makes a new bundle. */
export const mappedStack = (stack: string): string => {
  const maps = new Map<string, SourceMap | null>()
  const mapOf = (path: string): SourceMap | null => {
    const known = maps.get(path) ?? (maps.has(path) ? null : readMap(path))
    maps.set(path, known)
    return known
  }
  return stack.replaceAll(PLACE, (place, address: string, line: string, column: string) => {
    const path = pathOf(address)
    const origin = mapOf(path)?.findOrigin(Number(line), Number(column))
    if (!origin || !('fileName' in origin)) return place
    return `${resolve(dirname(path), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`
  })
}

/** True if the file is unchanged since the bundle was built, or if no stack position is in a bundle. */
const isAsBuilt = (stack: string, file: string): boolean => {
  for (const [, address = ''] of stack.matchAll(PLACE)) {
    const path = pathOf(address)
    const { sources = [], sourcesContent = [] } = readMap(path)?.payload ?? {}
    const at = sources.findIndex((source) => resolve(dirname(path), source) === file)
    if (at >= 0) return existsSync(file) && sourcesContent[at] === readFileSync(file, 'utf8')
  }
  return true
}

const pathOf = (address: string): string => (address.startsWith('file:') ? fileURLToPath(address) : address)

const PLACE = /((?:file:\/\/)?\/[^\s():]+):(\d+):(\d+)(?=\)?$)/gm

const readMap = (path: string): SourceMap | null =>
  tryOr(null, () => new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8'))))
