/** Registered types have fewer than 130 characters, including parameters. */
const MEDIA_TYPE_CHARS_MAX = 200

/** Null if missing, or if it describes a form's encoding rather than the file. */
export const mediaTypeOf = (header: string | null): string | null => {
  const type = header?.trim().toLowerCase() ?? ''
  const isType = /^[\w.+-]+\/[\w.+-]+(\s*;[\x20-\x7e]*)?$/.test(type) && type.length <= MEDIA_TYPE_CHARS_MAX
  const isForm = /^(multipart\/|application\/x-www-form-urlencoded)/.test(type)
  return isType && !isForm ? type : null
}
