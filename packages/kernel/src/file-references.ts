// References to uploaded files in the input of a prompt. The log has these, and never the files.
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'

/** The references in `attachments`, and in those of an OpenHarness shell. */
export const fileReferences = (input: Json | undefined): readonly JsonObject[] => {
  if (!isJsonObject(input)) return []
  const { attachments, openharness } = input
  const lists = [attachments, isJsonObject(openharness) ? openharness.attachments : undefined]
  return lists
    .flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []))
    .filter((each): each is JsonObject => isJsonObject(each) && typeof each.ref_id === 'string')
}
