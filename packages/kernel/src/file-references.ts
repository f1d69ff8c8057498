// The log holds references to uploaded files, never the files.
import { isJsonObject, type Json, type JsonObject } from '@bridle/events/json'

/** Includes the attachments of an OpenHarness shell. */
export const fileReferences = (input: Json | undefined): readonly JsonObject[] => {
  if (!isJsonObject(input)) return []
  const { attachments, openharness } = input
  const lists = [attachments, isJsonObject(openharness) ? openharness.attachments : undefined]
  return lists
    .flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []))
    .filter((each): each is JsonObject => isJsonObject(each) && typeof each.ref_id === 'string')
}
