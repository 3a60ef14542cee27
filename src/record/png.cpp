#include "catena/record/png.h"

#include <librsvg/rsvg.h>

#include <cmath>
#include <memory>
#include <stdexcept>

namespace catena {
namespace {

struct Release {
  void operator()(RsvgHandle* handle) const { g_object_unref(handle); }
  void operator()(GError* error) const { g_error_free(error); }
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
template <class T>
using Owned = std::unique_ptr<T, Release>;

[[noreturn]] void fail(GError* error) {
  const Owned<GError> owned(error);
  throw std::runtime_error(owned ? owned->message : "the picture cannot be drawn");
}

cairo_status_t append(void* to, const unsigned char* bytes, unsigned int count) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string svg_to_png(const std::string& svg, double scale) {
  GError* error = nullptr;
  const Owned<RsvgHandle> handle(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  if (!handle) fail(error);
  double width = 0, height = 0;
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == FALSE)
    throw std::runtime_error("the picture has no size");

  const RsvgRectangle whole{0, 0, width * scale, height * scale};
  const Owned<cairo_surface_t> surface(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(whole.width)), static_cast<int>(std::ceil(whole.height))));
  const Owned<cairo_t> context(cairo_create(surface.get()));
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  if (rsvg_handle_render_document(handle.get(), context.get(), &whole, &error) == FALSE) fail(error);
  std::string png;
  if (cairo_surface_write_to_png_stream(surface.get(), append, &png) != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error("the picture is too large");
  return png;
}

}  // namespace catena
