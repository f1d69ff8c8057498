// Files in prompts, for wires on which the caller writes the whole input.

import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'
import type { Key } from '@bridle/kernel/event'
import type { AppPorts } from '../../app.ts'
import type { Access } from '../access/authenticate.ts'
import { badRequest, type Denial, isDenial } from '../denials/denial.ts'
import { claimUploads } from './claim.ts'

interface Caller {
  readonly ports: Pick<AppPorts, 'uploads'>
  readonly access: Access
}

/** Also covers a shell's attachments, because runs read those too. */
export const claimInputFiles = async (caller: Caller, key: Key, input: JsonObject): Promise<JsonObject | Denial> => {
  const own = await claimListed(caller, key, input, 'attachments')
  if (isDenial(own) || !isJsonObject(own.openharness)) return own
  const openharness = await claimListed(caller, key, own.openharness, 'openharness.attachments')
  return isDenial(openharness) ? openharness : { ...own, openharness }
}

const claimListed = async (
  caller: Caller,
  key: Key,
  holder: JsonObject,
  field: string,
): Promise<JsonObject | Denial> => {
  const { attachments } = holder
  if (!Array.isArray(attachments)) return holder
  const entries = attachments as readonly Json[]
  // Entries of another shape belong to the agent.
  const isFile = (entry: Json): entry is JsonObject => isJsonObject(entry) && typeof entry.ref_id === 'string'
  const claimed = await claimUploads(
    caller,
    key,
    entries.map((entry) => (isFile(entry) ? entry : {})),
  )
  if ('problem' in claimed) return badRequest(`${field}.${claimed.index}.ref_id: ${claimed.problem}`)
  return {
    ...holder,
    attachments: entries.map((entry, index) => (isFile(entry) ? (claimed[index] as JsonObject) : entry)),
  }
}
