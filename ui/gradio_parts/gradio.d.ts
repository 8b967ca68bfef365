/** What Gradio passes to the script of a component. */
declare const element: HTMLElement;
declare const props: Record<string, any>;
declare function trigger(event: string, data?: unknown): void;
declare function watch(names: string | string[], run: () => void): void;

interface Window {
  /** Films that the players of this page have shown. */
  dailiesFilms: { films: Map<string, any>; count: number };
  /** Messages from Python that were followed. */
  dailiesTurns: Set<number>;
}
