// The addresses in a text of an agent: which may be opened, and which only look like another one.

const OPENED = new Set(['http:', 'https:', 'mailto:'])

/** The address, or null where a click on it could do something other than open a page or a mail. */
export const openedAddress = (href: string): string | null => {
  const url = parsed(href)
  return url && OPENED.has(url.protocol) ? url.href : null
}

/** The host that a link leads to, where its text names another one; null where the text does not mislead. */
export const differingHost = (text: string, address: string): string | null => {
  const named = /(?:^|[\s/@(])((?:[\p{L}\p{N}-]+\.)+[\p{L}]{2,})/u.exec(text)?.[1]
  const host = parsed(address)?.host ?? ''
  if (named === undefined || host === '') return null
  const written = named.toLowerCase()
  return host === written || host.endsWith(`.${written}`) || `www.${host}` === written ? null : host
}

const parsed = (href: string): URL | null => {
  // A relative address would lead to a page of this app that the text has no business with.
  try {
    return new URL(href)
  } catch {
    return null
  }
}
