// How an artifact is shown, by the type that its author named.

export type PreviewKind = 'json' | 'text' | 'image' | 'other'

/** A picture that can hold scripts is shown as its text. */
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|bmp)\b/i

export const previewKind = (contentType: string): PreviewKind => {
  if (PICTURES.test(contentType)) return 'image'
  if (/[/+]json\b/i.test(contentType)) return 'json'
  return /^text\/|^image\/svg|[/+](xml|yaml|javascript|x-sh|toml)\b/i.test(contentType) ? 'text' : 'other'
}
