// The names of the files that went with a prompt. The server writes them into the prompt's input.

/** A file without a name is named by its reference. */
export const fileNames = (input: unknown): readonly string[] => {
  const { attachments, openharness } = fieldsOf(input)
  return [attachments, fieldsOf(openharness).attachments]
    .flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []))
    .map((each) => fieldsOf(each).filename ?? fieldsOf(each).ref_id)
    .filter((name) => typeof name === 'string')
}

const fieldsOf = (value: unknown): { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null ? (value as { readonly [name: string]: unknown }) : {}
