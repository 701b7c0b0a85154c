export default {
  title: "Headscope with VitePress",
  base: "/some/where/",
  outDir: "out",
  head: [["link", { rel: "icon", href: "data:," }]],
  vue: {
    template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("headscope-") } },
  },
};
