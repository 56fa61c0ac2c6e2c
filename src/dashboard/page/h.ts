/** Elements without JSX, which no browser and no type stripping knows; with the types that it would have. */
import { type ComponentChildren, h as create, type JSX } from 'preact'

export type View = JSX.Element

export function h<Tag extends keyof JSX.IntrinsicElements>(
  tag: Tag,
  props: (JSX.IntrinsicElements[Tag] & Keyed & { readonly [data: `data-${string}`]: string }) | null,
  ...children: ComponentChildren[]
): View
export function h<Props>(
  component: (props: Props) => View,
  props: (Omit<Props, 'children'> & Keyed) | null,
  ...children: ComponentChildren[]
): View
export function h(type: unknown, props: unknown, ...children: ComponentChildren[]): View {
  return create(type as string, props as Keyed, ...children)
}

interface Keyed {
  readonly key?: string | number
}
