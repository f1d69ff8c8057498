/** A media type with its parameters: registered ones have less than 130 characters. */
const MEDIA_TYPE_CHARS_MAX = 200

/** Null = there is none, or one that says how a form is sent and not what the file is. */
export const mediaTypeOf = (header: string | null): string | null => {
  const type = header?.trim().toLowerCase() ?? ''
  const isType = /^[\w.+-]+\/[\w.+-]+(\s*;[\x20-\x7e]*)?$/.test(type) && type.length <= MEDIA_TYPE_CHARS_MAX
  const isForm = /^(multipart\/|application\/x-www-form-urlencoded)/.test(type)
  return isType && !isForm ? type : null
}
