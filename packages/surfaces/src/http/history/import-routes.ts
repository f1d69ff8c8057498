// The whole file is validated before its first session is written.

import { isEventType } from '@bridle/events/catalogue'
import { parsePayload } from '@bridle/events/schemas'
import { ExportError } from '@bridle/history/export/export-error'
import type { ExportContent } from '@bridle/history/export/export-reader'
import { readExport } from '@bridle/history/export/read-export'
import { type ImportCommand, isRefusal } from '@bridle/kernel/commands'
import type { ImportReceipt } from '@bridle/wire/http/wire'
import type { LogEntry } from '@bridle/wire/log-entry'
import * as v from 'valibot'
import { actorField, ownerField } from '../access/users.ts'
import { json } from '../answers/answer-schema.ts'
import { importAnswer } from '../answers/history-answers.ts'
import { badRequest, type Denial, isDenial } from '../denials/denial.ts'
import { refusalDenial } from '../denials/kernel-denials.ts'
import { post, type Route, type RouteCall } from '../router/route.ts'
import { ImportBudget, ImportInterruption } from './import-budget.ts'
import { eventsOf, type PlannedImport, planImport } from './import-check.ts'
import { decodeFilePart, type FilePart } from './tree-files.ts'

/** Twice the largest session that a server keeps. Held in memory while it is checked. */
const IMPORT_BYTES_MAX = 64 * 1024 * 1024

const flagSchema = v.optional(v.picklist(['0', '1', 'false', 'true']))
export const isSet = (flag: string | undefined): boolean => flag === '1' || flag === 'true'

export const importRoutes: readonly Route[] = [
  post('/import', {
    scope: 'operate',
    // The log records approvals by people, so importing one requires the scope to approve.
    furtherScopes: ['approve'],
    concerns: 'sessions',
    summary: 'Import the sessions of an export, with the numbers of their events',
    fileBytesMax: IMPORT_BYTES_MAX,
    query: v.looseObject({ rename: flagSchema, check: flagSchema }),
    answers: { 200: importAnswer },
    handle: async (call) => {
      const bytes = await call.rawBody.bytes()
      if (isDenial(bytes)) return bytes
      const budget = new ImportBudget(call.ports, call.request.signal)
      return importFile(call, bytes, budget).catch((error: unknown) => {
        if (error instanceof ImportInterruption) return error.denial
        throw error
      })
    },
  }),
]

interface ImportQuery {
  readonly rename?: string | undefined
  readonly check?: string | undefined
}

const importFile = async (
  { ports, access, query, request }: RouteCall<ImportQuery, unknown>,
  bytes: Uint8Array,
  budget: ImportBudget,
): Promise<Response | Denial> => {
  const read = await contentOf(bytes, budget)
  if (isDenial(read)) return read
  const part = ports.behindGateway ? decodeFilePart(request) : null
  const content = part ? asPartOf(part, read) : read
  const planned = await planImport({ ports, access, renames: isSet(query.rename), budget }, content)
  if (isDenial(planned)) return planned
  await budget.nextTurn()
  const by = { ...actorField(access), ...(await ownerField(access)) }
  for (const each of isSet(query.check) ? [] : planned.filter(({ isKnown }) => !isKnown)) {
    const outcome = await ports.host.importLog(
      each.key,
      importCommand(each, { digest: content.digest, ...by }),
      each.before,
    )
    if (isRefusal(outcome)) return refusalDenial(outcome)
    await budget.letOthersWork()
  }
  return json<ImportReceipt>({ sessions: planned.map(receiptOf) })
}

const importCommand = (
  planned: PlannedImport,
  by: { readonly digest: string; readonly actor?: string; readonly owner?: string },
): Omit<ImportCommand, 'type'> => {
  const { exported, parent, claimed } = planned
  const { id, agent, partial } = exported.session
  return {
    ...{ parent, events: eventsOf(planned), source: { agent, id }, settings: claimed.settings, ...by },
    ...(partial && { partial }),
  }
}

const contentOf = async (bytes: Uint8Array, { nextTurn }: ImportBudget): Promise<ExportContent | Denial> => {
  try {
    return await readExport(bytes, { payloadProblem, nextTurn })
  } catch (error) {
    if (error instanceof ExportError) return badRequest(error.message)
    throw error
  }
}

/** Restores the line numbers of the whole file. */
const asPartOf = ({ digest, linesBefore }: FilePart, { sessions }: ExportContent): ExportContent => ({
  digest,
  sessions: sessions.map((each) => ({ ...each, line: each.line + linesBefore })),
})

export const payloadProblem = (type: string, payload: LogEntry['payload']): string | null => {
  const parsed = isEventType(type) ? parsePayload(type, payload) : { problem: 'unknown' }
  return 'problem' in parsed ? parsed.problem : null
}

const receiptOf = ({
  key,
  exported: { session, entries },
  isKnown,
  claimed: { ignored },
}: PlannedImport): ImportReceipt['sessions'][number] => ({
  ...{ id: key.id, agent: key.agent, events: entries.length },
  ...(isKnown && { existing: true }),
  ...(key.id !== session.id && { renamed_from: session.id }),
  ...(!isKnown && ignored.length > 0 && { ignored }),
})
