import { readFile } from 'node:fs/promises'
import type { FabricClient } from '@bridle/client/index'
import { present } from '@bridle/events/json'
import { ExportError, History, HistoryError, historyOf, readExport } from '@bridle/history/index'
import { failure, usageError } from '../command/command.ts'
import { CANDIDATES_MAX, LOG_PAGE } from '../command/limits.ts'
import { checkExportHead } from '../files/export-head.ts'

export const historyInFile = async (file: string, session: string | undefined): Promise<History> => {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw usageError(`${file} cannot be read: ${cause.code}`, { cause })
  })
  await checkExportHead(file, new Blob([text]))
  try {
    const { sessions } = await readExport(text)
    const ids = sessions.map(({ session: { id } }) => id)
    const fitting = session === undefined ? ids : ids.filter((id) => id === session || id.startsWith(session))
    const id = fitting.find((each) => each === session) ?? (fitting.length === 1 ? fitting[0] : undefined)
    if (id === undefined) throw usageError(choiceText(file, session, ids))
    return historyOf(sessions, id)
  } catch (error) {
    if (error instanceof ExportError) throw usageError(`${file}: ${error.message}`, { cause: error })
    if (error instanceof HistoryError) throw failure(`${file}: ${error.message}`, { cause: error })
    throw error
  }
}

const choiceText = (file: string, session: string | undefined, ids: readonly string[]): string =>
  [
    session === undefined
      ? `${file} has ${ids.length} sessions. Choose one with --session:`
      : `${file} does not have exactly one session that begins with ${session}. It has:`,
    ...ids.slice(0, CANDIDATES_MAX).map((id) => `  ${id}`),
    ...(ids.length > CANDIDATES_MAX ? [`  and ${ids.length - CANDIDATES_MAX} more`] : []),
  ].join('\n')

export const historyOnServer = async (fabric: FabricClient, id: string, agent?: string): Promise<History> => {
  let history: History | null = null
  for (let after = 0; ; ) {
    const page = await fabric.log(id, { ...present({ agent }), after, limit: LOG_PAGE, content: 'none' })
    history ??= new History({ ...page.session, incarnation: page.incarnation, parent: page.session.parent ?? null })
    history.append(page.entries)
    if (page.next === null) return history
    after = page.next
  }
}
